// Declares ioctl() and its numbers for terminals: <sys/ioctl.h> and <asm/termbits.h> cannot be
// included together.
#pragma once

extern "C" int ioctl(int fd, unsigned long request, ...);

namespace sf::waypoint::native {

inline constexpr unsigned kGetSettings = 0x802c542a;   // TCGETS2
inline constexpr unsigned kGetWindow = 0x5413;         // TIOCGWINSZ
inline constexpr unsigned kTake = 0x540e;              // TIOCSCTTY
inline constexpr unsigned kSetLock = 0x40045431;       // TIOCSPTLCK
inline constexpr unsigned kUnread = 0x541b;            // FIONREAD
inline constexpr unsigned kSetPacketMode = 0x5420;     // TIOCPKT
inline constexpr unsigned kGetExclusive = 0x80045440;  // TIOCGEXCL
inline constexpr unsigned kBeExclusive = 0x540c;       // TIOCEXCL

}  // namespace sf::waypoint::native
