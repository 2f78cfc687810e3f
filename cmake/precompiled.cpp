// Compiled with the precompiled headers of cmake/targets.cmake, so that all targets share them.
