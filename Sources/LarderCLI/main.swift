import LarderCommands

LarderProgram.main()
