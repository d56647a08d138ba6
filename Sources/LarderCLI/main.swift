import CLarderVersion
import LarderCommands

LarderProgram.main(revision: String(cString: larder_revision()))
