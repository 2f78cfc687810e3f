// This is the only source of the target that precompiles the headers of cmake/targets.cmake. It has
// no code.
