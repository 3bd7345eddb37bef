/* SPDX-License-Identifier: BSD-3-Clause */
/* Attributes: values that an application hangs on communicators, datatypes and windows under keys
 * of its own. */
#include "mpi/number.h"
#include "mpi/state.h"

#include <stdlib.h>
#include <string.h>

/* Keys of an application begin behind the predefined ones. */
enum { FIRST_KEYVAL = 100 };

struct pri_keyval {
    enum pri_attr_kind kind;
    bool known; /* the application has not freed it */
    int used;   /* attributes that have it */
    void (*copy)(void);
    void (*release)(void);
    void *extra;
    enum presto_language language; /* of both functions */
    MPI_Aint number;               /* Fortran's `extra` */
};

struct pri_attr {
    struct pri_attr *next;
    int keyval;
    bool fortran; /* the value is the address of `number` */
    void *value;
    MPI_Aint number;
};

/* A key; false if there is none of this kind. A copy, because the table may move. */
static bool key_of(struct pri_mpi *mpi, enum pri_attr_kind kind, int keyval, struct pri_keyval *key)
{
    pthread_mutex_lock(&mpi->lock);
    int i = keyval - FIRST_KEYVAL;
    bool there = i >= 0 && i < mpi->keyvals && mpi->keyval[i].kind == kind &&
                 (mpi->keyval[i].known || mpi->keyval[i].used > 0);
    if (there) {
        *key = mpi->keyval[i];
    }
    pthread_mutex_unlock(&mpi->lock);
    return there;
}

static void count_use(struct pri_mpi *mpi, int keyval, int by)
{
    pthread_mutex_lock(&mpi->lock);
    mpi->keyval[keyval - FIRST_KEYVAL].used += by;
    pthread_mutex_unlock(&mpi->lock);
}

static int new_locked(struct pri_mpi *mpi)
{
    for (int i = 0; i < mpi->keyvals; i++) {
        if (!mpi->keyval[i].known && mpi->keyval[i].used == 0) {
            return i;
        }
    }
    struct pri_keyval *more = realloc(mpi->keyval, ((size_t)mpi->keyvals + 1) * sizeof(*more));
    if (more == NULL) {
        return -1;
    }
    mpi->keyval = more;
    return mpi->keyvals++;
}

int pri_keyval_new(struct pri_mpi *mpi, enum pri_attr_kind kind, void (*copy)(void),
                   void (*release)(void), void *extra, int *keyval)
{
    pthread_mutex_lock(&mpi->lock);
    int i = new_locked(mpi);
    if (i >= 0) {
        mpi->keyval[i] = (struct pri_keyval){
            .kind = kind, .known = true, .copy = copy, .release = release, .extra = extra};
    }
    pthread_mutex_unlock(&mpi->lock);
    *keyval = i < 0 ? MPI_KEYVAL_INVALID : FIRST_KEYVAL + i;
    return i < 0 ? MPI_ERR_NO_MEM : MPI_SUCCESS;
}

int pri_keyval_free(struct pri_mpi *mpi, enum pri_attr_kind kind, int *keyval)
{
    struct pri_keyval key;
    /* A copy of the number may be freed again as long as an attribute has it. */
    if (!key_of(mpi, kind, *keyval, &key)) {
        return MPI_ERR_KEYVAL;
    }
    pthread_mutex_lock(&mpi->lock);
    mpi->keyval[*keyval - FIRST_KEYVAL].known = false;
    pthread_mutex_unlock(&mpi->lock);
    *keyval = MPI_KEYVAL_INVALID;
    return MPI_SUCCESS;
}

void pri_keyvals_free(struct pri_mpi *mpi)
{
    free(mpi->keyval);
}

void pri_keyval_fortran(struct pri_mpi *mpi, int keyval, int language, MPI_Aint extra)
{
    pthread_mutex_lock(&mpi->lock);
    mpi->keyval[keyval - FIRST_KEYVAL].language = language;
    mpi->keyval[keyval - FIRST_KEYVAL].number = extra;
    pthread_mutex_unlock(&mpi->lock);
}

/* An object as Fortran knows it. */
static MPI_Fint number_of(enum pri_attr_kind kind, void *object)
{
    return kind == PRI_ATTR_COMM   ? MPI_Comm_c2f(object)
           : kind == PRI_ATTR_TYPE ? MPI_Type_c2f(object)
                                   : MPI_Win_c2f(object);
}

typedef void copy_fortran(MPI_Fint *object, int *keyval, MPI_Aint *extra, MPI_Aint *in,
                          MPI_Aint *out, int *flag, int *code);
typedef void copy_old(MPI_Fint *object, int *keyval, int *extra, int *in, int *out, int *flag,
                      int *code);
typedef void release_fortran(MPI_Fint *object, int *keyval, MPI_Aint *value, MPI_Aint *extra,
                             int *code);
typedef void release_old(MPI_Fint *object, int *keyval, int *value, int *extra, int *code);

static MPI_Aint as_number(const struct pri_attr *attr)
{
    return attr->fortran ? attr->number : (MPI_Aint)attr->value;
}

static int call_copy_fortran(const struct pri_keyval *key, MPI_Fint object,
                             const struct pri_attr *from, MPI_Aint *out, int *flag)
{
    int keyval = from->keyval, code = MPI_SUCCESS;
    MPI_Aint extra = key->number, in = as_number(from);
    if (key->language == PRESTO_FORTRAN) {
        ((copy_fortran *)key->copy)(&object, &keyval, &extra, &in, out, flag, &code);
    } else {
        int extra_old = (int)extra, in_old = (int)in, out_old = 0;
        ((copy_old *)key->copy)(&object, &keyval, &extra_old, &in_old, &out_old, flag, &code);
        *out = out_old;
    }
    return code;
}

static int call_release_fortran(const struct pri_keyval *key, MPI_Fint object,
                                const struct pri_attr *attr)
{
    int keyval = attr->keyval, code = MPI_SUCCESS;
    MPI_Aint extra = key->number, value = as_number(attr);
    if (key->language == PRESTO_FORTRAN) {
        ((release_fortran *)key->release)(&object, &keyval, &value, &extra, &code);
    } else {
        int extra_old = (int)extra, value_old = (int)value;
        ((release_old *)key->release)(&object, &keyval, &value_old, &extra_old, &code);
    }
    return code;
}

static int call_copy(const struct pri_keyval *key, void *object, int keyval, void *in, void **out,
                     int *flag)
{
    if (key->kind == PRI_ATTR_COMM) {
        return ((MPI_Comm_copy_attr_function *)key->copy)(object, keyval, key->extra, in, out,
                                                          flag);
    }
    if (key->kind == PRI_ATTR_TYPE) {
        return ((MPI_Type_copy_attr_function *)key->copy)(object, keyval, key->extra, in, out,
                                                          flag);
    }
    return ((MPI_Win_copy_attr_function *)key->copy)(object, keyval, key->extra, in, out, flag);
}

static int call_release(const struct pri_keyval *key, void *object, const struct pri_attr *attr)
{
    int keyval = attr->keyval;
    void *value = attr->value;
    if (key->release == NULL) {
        return MPI_SUCCESS;
    }
    if (key->language != PRESTO_C) {
        return call_release_fortran(key, number_of(key->kind, object), attr);
    }
    if (key->kind == PRI_ATTR_COMM) {
        return ((MPI_Comm_delete_attr_function *)key->release)(object, keyval, value, key->extra);
    }
    if (key->kind == PRI_ATTR_TYPE) {
        return ((MPI_Type_delete_attr_function *)key->release)(object, keyval, value, key->extra);
    }
    return ((MPI_Win_delete_attr_function *)key->release)(object, keyval, value, key->extra);
}

static struct pri_attr **find(struct pri_attr **list, int keyval)
{
    while (*list != NULL && (*list)->keyval != keyval) {
        list = &(*list)->next;
    }
    return list;
}

int pri_attr_set(struct pri_mpi *mpi, struct pri_attr **list, enum pri_attr_kind kind, void *object,
                 int keyval, void *value)
{
    struct pri_keyval key;
    if (!key_of(mpi, kind, keyval, &key)) {
        return MPI_ERR_KEYVAL;
    }
    struct pri_attr *attr = *find(list, keyval);
    if (attr != NULL) {
        int code = call_release(&key, object, attr);
        if (code == MPI_SUCCESS) {
            attr->value = value;
            attr->fortran = false;
        }
        return code;
    }
    attr = malloc(sizeof(*attr));
    if (attr == NULL) {
        return MPI_ERR_NO_MEM;
    }
    *attr = (struct pri_attr){.next = *list, .keyval = keyval, .value = value};
    *list = attr;
    count_use(mpi, keyval, 1);
    return MPI_SUCCESS;
}

void pri_attr_fortran(struct pri_attr *list, int keyval, MPI_Aint number)
{
    struct pri_attr *attr = *find(&list, keyval);
    attr->fortran = true;
    attr->number = number;
    attr->value = &attr->number;
}

bool pri_attr_is_fortran(struct pri_attr *list, int keyval)
{
    struct pri_attr *attr = *find(&list, keyval);
    return attr != NULL && attr->fortran;
}

int pri_attr_get(struct pri_mpi *mpi, struct pri_attr *list, enum pri_attr_kind kind, int keyval,
                 void **value, int *flag)
{
    struct pri_keyval key;
    if (!key_of(mpi, kind, keyval, &key)) {
        return MPI_ERR_KEYVAL;
    }
    struct pri_attr *attr = *find(&list, keyval);
    *flag = attr != NULL;
    if (attr != NULL) {
        *value = attr->value;
    }
    return MPI_SUCCESS;
}

int pri_attr_delete(struct pri_mpi *mpi, struct pri_attr **list, enum pri_attr_kind kind,
                    void *object, int keyval)
{
    struct pri_keyval key;
    struct pri_attr *attr = *find(list, keyval);
    if (attr == NULL || !key_of(mpi, kind, keyval, &key)) {
        return MPI_ERR_KEYVAL;
    }
    int code = call_release(&key, object, attr);
    if (code != MPI_SUCCESS) {
        return code;
    }
    *find(list, keyval) = attr->next;
    free(attr);
    count_use(mpi, keyval, -1);
    return MPI_SUCCESS;
}

int pri_attr_copy_all(struct pri_mpi *mpi, struct pri_attr **list, struct pri_attr *from,
                      enum pri_attr_kind kind, void *object)
{
    for (; from != NULL; from = from->next) {
        struct pri_keyval key;
        void *value = NULL;
        MPI_Aint number = 0;
        int flag = 0, code = MPI_SUCCESS;
        bool known = key_of(mpi, kind, from->keyval, &key) && key.copy != NULL;
        bool fortran = known && key.language != PRESTO_C;
        if (fortran) {
            code = call_copy_fortran(&key, number_of(kind, object), from, &number, &flag);
        } else if (known) {
            code = call_copy(&key, object, from->keyval, from->value, &value, &flag);
            /* What C copies of Fortran's is the place, and the copy gets one of its own. */
            fortran = from->fortran && value == from->value;
            number = from->number;
        }
        if (code == MPI_SUCCESS && flag) {
            code = pri_attr_set(mpi, list, kind, object, from->keyval, value);
        }
        if (code == MPI_SUCCESS && flag && fortran) {
            pri_attr_fortran(*list, from->keyval, number);
        }
        if (code != MPI_SUCCESS) {
            return code;
        }
    }
    return MPI_SUCCESS;
}

int pri_attr_delete_all(struct pri_mpi *mpi, struct pri_attr **list, enum pri_attr_kind kind,
                        void *object)
{
    while (*list != NULL) {
        int code = pri_attr_delete(mpi, list, kind, object, (*list)->keyval);
        if (code != MPI_SUCCESS) {
            return code;
        }
    }
    return MPI_SUCCESS;
}
