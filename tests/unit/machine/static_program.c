/* Linked statically, so the dynamic linker cannot preload a library into it. */
int main(void) { return 0; }
