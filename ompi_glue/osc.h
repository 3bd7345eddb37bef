/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OMPI_GLUE_OSC_H
#define OMPI_GLUE_OSC_H

/*
 * What a component needs of Open MPI that stands between MPI and the windows of one-sided
 * communication.
 *
 *   name             4.1    5.0
 *   ompi_glue_disp   int    ptrdiff_t
 */

#include "ompi/mca/osc/base/base.h"
#include "ompi/mca/osc/osc.h"
#include "ompi/win/win.h"
#include "opal/mca/base/mca_base_framework.h"

/* The unit of displacements that a component is given when a window is made. */
#if OMPI_MAJOR_VERSION >= 5
typedef ptrdiff_t ompi_glue_disp;
#else
typedef int ompi_glue_disp;
#endif

#endif
