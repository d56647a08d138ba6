// Larder with a policy of your own: every command knows it by its name.
//
//     swift run -c release OwnPolicy simulate TRACE --policy clock,second-chance --capacity 1%,10%

import LarderCommands

LarderProgram.main(adding: [.policy(SecondChance.self)])
