// Environment variables with the locations of external tools. A client passes them on to the daemon
// that it starts.
#pragma once

namespace sf::wire {

inline constexpr const char* kDockerHost = "DOCKER_HOST";
inline constexpr const char* kRunsc = "STATEFORK_RUNSC";
inline constexpr const char* kVmGuest = "STATEFORK_VM_GUEST";
inline constexpr const char* kVmAccelerator = "STATEFORK_VM_ACCELERATOR";
inline constexpr const char* kPodmanConfig = "CONTAINERS_CONF";
inline constexpr const char* kPodmanStorageConfig = "CONTAINERS_STORAGE_CONF";

inline constexpr const char* kToolVariables[] = {
    kDockerHost, kRunsc, kVmGuest, kVmAccelerator, kPodmanConfig, kPodmanStorageConfig};

}  // namespace sf::wire
