/* SPDX-License-Identifier: BSD-3-Clause */
#include "ompi_glue/check.h"

#include <stdio.h>
#include <string.h>

#include "ompi_glue/ompi_glue.h"

/* The classes whose layout the components rely on, and their sizes when this was compiled. */
static const struct class_size {
    const opal_class_t *class;
    size_t size;
} class_sizes[] = {
    {&mca_btl_base_descriptor_t_class, sizeof(mca_btl_base_descriptor_t)},
    {&opal_convertor_t_class, sizeof(opal_convertor_t)},
    {&opal_free_list_t_class, sizeof(opal_free_list_t)},
    {&opal_free_list_item_t_class, sizeof(opal_free_list_item_t)},
    {&opal_mutex_t_class, sizeof(opal_mutex_t)},
    {&opal_proc_t_class, sizeof(opal_proc_t)},
};

const char *ompi_glue_built_for(void)
{
#define TEXT(x)          #x
#define VERSION(a, b, c) TEXT(a) "." TEXT(b) "." TEXT(c)
    return VERSION(OPAL_MAJOR_VERSION, OPAL_MINOR_VERSION, OPAL_RELEASE_VERSION);
#undef VERSION
#undef TEXT
}

static bool check_classes(char *reason, size_t reason_size)
{
    for (size_t i = 0; i < sizeof(class_sizes) / sizeof(class_sizes[0]); i++) {
        const struct class_size *expected = &class_sizes[i];

        if (expected->class->cls_sizeof != expected->size) {
            snprintf(reason, reason_size, "%s has %zu bytes, the component was compiled for %zu",
                     expected->class->cls_name, expected->class->cls_sizeof, expected->size);
            return false;
        }
    }
    return true;
}

/* Open MPI's own BTLs carry the interface version with which they, and it, were compiled. */
static bool check_interface(char *reason, size_t reason_size)
{
    const mca_base_component_t own = {MCA_BTL_DEFAULT_VERSION("apelink")};
    const mca_base_component_list_item_t *item;

    OPAL_LIST_FOREACH(item, &opal_btl_base_framework.framework_components,
                      mca_base_component_list_item_t)
    {
        const mca_base_component_t *other = item->cli_component;

        if (strcmp(other->mca_component_name, "self") == 0 &&
            (other->mca_type_major_version != own.mca_type_major_version ||
             other->mca_type_minor_version != own.mca_type_minor_version)) {
            snprintf(reason, reason_size,
                     "its BTL interface is %d.%d, the component was compiled for %d.%d",
                     other->mca_type_major_version, other->mca_type_minor_version,
                     own.mca_type_major_version, own.mca_type_minor_version);
            return false;
        }
    }
    return true;
}

bool ompi_glue_check(char *reason, size_t reason_size)
{
    if (opal_built_with_cuda_support != (OPAL_CUDA_SUPPORT != 0)) {
        snprintf(reason, reason_size,
                 "it was built %s CUDA support, the component for one %s: structures differ",
                 opal_built_with_cuda_support ? "with" : "without",
                 OPAL_CUDA_SUPPORT ? "with it" : "without it");
        return false;
    }
    return check_classes(reason, reason_size) && check_interface(reason, reason_size);
}
