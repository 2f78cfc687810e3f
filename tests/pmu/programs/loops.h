/* Loops with an exact number of instructions. */
#pragma once

#define INSTRUCTIONS_PER_TURN 10

/* Executes `turns` times ten instructions, and a handful around them. */
#define KNOWN_LOOP(turns)                                                                \
  do {                                                                                   \
    unsigned long turns_left = (turns);                                                  \
    __asm__ volatile(                                                                    \
        "1: nop\n nop\n nop\n nop\n nop\n nop\n nop\n nop\n subs %0, %0, #1\n b.ne 1b\n" \
        : "+r"(turns_left)                                                               \
        :                                                                                \
        : "cc");                                                                         \
  } while (0)
