/* SPDX-License-Identifier: BSD-3-Clause */
/* What a user is told about a parameter: the topics of help-hook-apelink.txt, which is part of the
 * component, so that it is not looked for at run time. */
#include <stdio.h>

#include "pml_hooks/pml_hooks.h"

extern const char pml_hooks_help_text[];

void pml_hooks_help(const char *topic, const char *a, const char *b)
{
    char line[64], format[1024], text[2048];
    const char *start, *end;

    (void)snprintf(line, sizeof(line), "\n[%s]\n", topic);
    start = strstr(pml_hooks_help_text, line);
    if (start == NULL) {
        (void)fprintf(stderr, "pml_hooks: %s: %s %s\n", topic, a, b);
        return;
    }
    start += strlen(line);
    end = strstr(start, "\n[");
    (void)snprintf(format, sizeof(format), "%.*s",
                   end != NULL ? (int)(end + 1 - start) : (int)strlen(start), start);
    (void)snprintf(text, sizeof(text), format, a, b);
    (void)fprintf(stderr,
                  "--------------------------------------------------------------------------\n"
                  "%s"
                  "--------------------------------------------------------------------------\n",
                  text);
}
