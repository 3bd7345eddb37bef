#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# faults.sh over mtl match.
exec sh "$(dirname "$0")/faults_apelink.sh" match
