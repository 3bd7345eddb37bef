/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints the table of registers; "make registers" writes it to docs/registers.md. */
#include "dnp/registers.h"

int main(void)
{
    dnp_registers_print(stdout);
    return ferror(stdout) || fclose(stdout) != 0;
}
