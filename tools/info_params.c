/* SPDX-License-Identifier: BSD-3-Clause */
/* The parameters and the statistics, with their help. */
#include "info.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <apeni/param.h>
#include <apeni/stats.h>

#include "base/bits.h"
#include "base/param_text.h"

static void print_param_text(const struct ni_param *param)
{
    char value[256], accepted[512], env[128];

    ni_param_format(param, value, sizeof value);
    ni_param_accepted(param, accepted, sizeof accepted);
    ni_param_env_name(param->name, env, sizeof env);
    printf("%s = %s (%s)\n", param->name, value[0] != '\0' ? value : "\"\"",
           ni_param_origin(param));
    info_print_wrapped(param->help, 4);
    printf("    default   %s\n", param->default_text[0] != '\0' ? param->default_text : "\"\"");
    printf("    accepted  %s\n", accepted);
    printf(
        "    set by    %s in the environment, btl_apelink_%s, mtl_match_%s or pml_match_%s in Open "
        "MPI\n\n",
        env, param->name, param->name, param->name);
}

static void print_json_member(const char *key, const char *value)
{
    printf("      \"%s\": ", key);
    info_print_json_string(value);
    printf(",\n");
}

static void print_json_choices(const struct ni_param *param)
{
    printf("      \"choices\": [");
    for (size_t i = 0; param->names[i] != NULL; i++) {
        printf("%s", i > 0 ? ", " : "");
        info_print_json_string(param->names[i]);
    }
    printf("],\n");
}

static void print_param_json(const struct ni_param *param)
{
    char value[256], accepted[512], env[128];

    ni_param_format(param, value, sizeof value);
    ni_param_accepted(param, accepted, sizeof accepted);
    ni_param_env_name(param->name, env, sizeof env);
    printf("    {\n");
    print_json_member("name", param->name);
    print_json_member("environment", env);
    print_json_member("type", ni_param_type_name(param->type));
    print_json_member("value", value);
    print_json_member("origin", ni_param_origin(param));
    print_json_member("default", param->default_text);
    if (param->type == NI_PARAM_UINT || param->type == NI_PARAM_SIZE) {
        printf("      \"min\": %" PRIu64 ",\n      \"max\": %" PRIu64 ",\n", param->min,
               param->max);
    }
    if (param->type == NI_PARAM_ENUM) {
        print_json_choices(param);
    }
    print_json_member("unit", param->unit);
    print_json_member("accepted", accepted);
    printf("      \"help\": ");
    info_print_json_string(param->help);
    printf("\n    }");
}

/* A cell of a Markdown table: a bar would end it. */
static void print_cell(const char *text)
{
    for (; *text != '\0'; text++) {
        printf(*text == '|' ? "\\|" : "%c", *text);
    }
}

static void print_param_markdown(const struct ni_param *param)
{
    char accepted[512];

    ni_param_accepted(param, accepted, sizeof accepted);
    printf("| `%s` | ", param->name);
    if (param->default_text[0] != '\0') {
        printf("`%s`", param->default_text);
    } else {
        printf("(empty)");
    }
    printf(" | ");
    print_cell(accepted);
    printf(" | ");
    print_cell(param->help);
    printf(" |\n");
}

static void print_params_markdown(void)
{
    printf(
        "# Parameters\n\n"
        "This file is made by `make parameters` from `ni/base/params.def`.\n\n"
        "A parameter `name` is set by the environment variable `APENI_NAME` or, under Open MPI, "
        "by `-mca\nbtl_apelink_name VALUE` for the BTL, `-mca mtl_match_name VALUE` for the MTL, "
        "`-mca pml_match_name VALUE` for the\nPML, and "
        "wherever else Open MPI takes its\nparameters from. `apeni-info --params` prints the "
        "values in force and where each comes from. A value that cannot\nbe read or is out of "
        "range, and a variable that begins with `APENI_` but names no parameter, are errors that\n"
        "say what is accepted.\n\n"
        "| name | default | accepted | meaning |\n|---|---|---|---|\n");
    for (size_t i = 0; i < ni_param_count; i++) {
        print_param_markdown(&ni_params[i]);
    }
}

void info_print_params(enum info_format format)
{
    if (format == INFO_FORMAT_MARKDOWN) {
        print_params_markdown();
        return;
    }
    if (format == INFO_FORMAT_TEXT) {
        for (size_t i = 0; i < ni_param_count; i++) {
            print_param_text(&ni_params[i]);
        }
        return;
    }
    printf("  \"parameters\": [\n");
    for (size_t i = 0; i < ni_param_count; i++) {
        print_param_json(&ni_params[i]);
        printf("%s\n", i + 1 < ni_param_count ? "," : "");
    }
    printf("  ]");
}

static const char *kind_name(enum ni_stat_kind kind)
{
    static const char *const names[] = {"count", "level", "highwater"};

    return (unsigned)kind < NI_ARRAY_LENGTH(names) ? names[kind] : "unknown";
}

static void print_stat_json(const struct ni_stat_info *info)
{
    printf("    {\n");
    print_json_member("name", info->name);
    print_json_member("kind", kind_name(info->kind));
    print_json_member("unit", info->unit);
    printf("      \"help\": ");
    info_print_json_string(info->help);
    printf("\n    }");
}

void info_print_stats(enum info_format format)
{
    if (format == INFO_FORMAT_TEXT) {
        for (size_t i = 0; i < ni_stat_count; i++) {
            printf("%-18s %-10s %-11s %s\n", ni_stat_infos[i].name,
                   kind_name(ni_stat_infos[i].kind), ni_stat_infos[i].unit, ni_stat_infos[i].help);
        }
        return;
    }
    printf("  \"statistics\": [\n");
    for (size_t i = 0; i < ni_stat_count; i++) {
        print_stat_json(&ni_stat_infos[i]);
        printf("%s\n", i + 1 < ni_stat_count ? "," : "");
    }
    printf("  ]");
}
