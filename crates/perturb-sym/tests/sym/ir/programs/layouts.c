/* Of each type a variable of it, and what the compiler says: its size, its alignment, and the offsets of its fields. */
#define OFFSET(field) __builtin_offsetof(TYPE, field)

#define TYPE struct scalars
TYPE { char c; short s; int i; long l; long long ll; float f; double d; void *p; _Bool b; } value_scalars;
const unsigned long says_scalars[] = { sizeof(TYPE), _Alignof(TYPE), OFFSET(c), OFFSET(s), OFFSET(i), OFFSET(l), OFFSET(ll),
    OFFSET(f), OFFSET(d), OFFSET(p), OFFSET(b) };
#undef TYPE

#define TYPE struct nested
TYPE { char c; struct scalars s; char d; struct { char e; short f; } g[3]; char h; } value_nested;
const unsigned long says_nested[] = { sizeof(TYPE), _Alignof(TYPE), OFFSET(c), OFFSET(s), OFFSET(d), OFFSET(g), OFFSET(h) };
#undef TYPE

#define TYPE struct packed
TYPE { char c; long long l; short s; double d; char e; } __attribute__((packed)) value_packed;
const unsigned long says_packed[] = { sizeof(TYPE), _Alignof(TYPE), OFFSET(c), OFFSET(l), OFFSET(s), OFFSET(d), OFFSET(e) };
#undef TYPE

#define TYPE struct arrays
TYPE { char c[3]; int i[2][5]; char d; double e[1]; void *(*f[2])(void); } value_arrays;
const unsigned long says_arrays[] = { sizeof(TYPE), _Alignof(TYPE), OFFSET(c), OFFSET(i), OFFSET(d), OFFSET(e), OFFSET(f) };
#undef TYPE

#define TYPE struct long_double
TYPE { char c; long double l; } value_long_double;
const unsigned long says_long_double[] = { sizeof(TYPE), _Alignof(TYPE), OFFSET(c), OFFSET(l) };
#undef TYPE

/* Fields in the code are not those in the source, so that only size and alignment are told. */
union some { char c[5]; int i; double d; } value_some;
const unsigned long says_some[] = { sizeof(union some), _Alignof(union some) };
struct fields { unsigned a : 3; int b : 14; unsigned c : 20; char d; } value_fields;
const unsigned long says_fields[] = { sizeof(struct fields), _Alignof(struct fields) };

struct empty_first { struct { } none; char c; int i; } value_empty_first;
const unsigned long says_empty_first[] = { sizeof(struct empty_first), _Alignof(struct empty_first) };

typedef int four __attribute__((vector_size(16)));
four value_four;
const unsigned long says_four[] = { sizeof(four), _Alignof(four) };
typedef double two __attribute__((vector_size(16)));
struct vectors { char c; four f; char d; two e; } value_vectors;
const unsigned long says_vectors[] = { sizeof(struct vectors), _Alignof(struct vectors) };
