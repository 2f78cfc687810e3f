// Compiled with the precompiled headers of cmake/targets.cmake, so that they exist once for everybody.
