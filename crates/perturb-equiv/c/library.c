/* What functions of the C library do, for who reads code instead of running it: a call of `strlen` is one of
 * `perturb_strlen` here.
 *
 * Comparisons answer with the difference of what differs first, as glibc does. Letters are those of the "C" locale. */
typedef __SIZE_TYPE__ perturb_size;
typedef unsigned char perturb_byte;

void *perturb_memcpy(void *to, const void *from, perturb_size size)
{
    for (perturb_size i = 0; i < size; i++)
        ((char *)to)[i] = ((const char *)from)[i];
    return to;
}

/* More bytes than this are beyond the turns of a loop that anybody follows. */
void *perturb_memmove(void *to, const void *from, perturb_size size)
{
    char kept[256];
    /* Before C99, a variable of the first loop is still there in the second. */
    perturb_size i;
    for (i = 0; i < size; i++)
        kept[i] = ((const char *)from)[i];
    for (i = 0; i < size; i++)
        ((char *)to)[i] = kept[i];
    return to;
}

void perturb_fill(void *to, perturb_byte byte, perturb_size size)
{
    for (perturb_size i = 0; i < size; i++)
        ((perturb_byte *)to)[i] = byte;
}

void *perturb_memset(void *to, int byte, perturb_size size)
{
    perturb_fill(to, (perturb_byte)byte, size);
    return to;
}

int perturb_memcmp(const void *one, const void *other, perturb_size size)
{
    const perturb_byte *a = one, *b = other;
    for (perturb_size i = 0; i < size; i++)
        if (a[i] != b[i])
            return a[i] - b[i];
    return 0;
}

void *perturb_memchr(const void *in, int byte, perturb_size size)
{
    const perturb_byte *bytes = in;
    for (perturb_size i = 0; i < size; i++)
        if (bytes[i] == (perturb_byte)byte)
            return (void *)(bytes + i);
    return 0;
}

perturb_size perturb_strlen(const char *text)
{
    perturb_size length = 0;
    while (text[length])
        length++;
    return length;
}

perturb_size perturb_strnlen(const char *text, perturb_size most)
{
    perturb_size length = 0;
    while (length < most && text[length])
        length++;
    return length;
}

int perturb_strcmp(const char *one, const char *other)
{
    perturb_size i = 0;
    while (one[i] && one[i] == other[i])
        i++;
    return (perturb_byte)one[i] - (perturb_byte)other[i];
}

int perturb_strncmp(const char *one, const char *other, perturb_size most)
{
    for (perturb_size i = 0; i < most; i++)
        if (one[i] != other[i] || !one[i])
            return (perturb_byte)one[i] - (perturb_byte)other[i];
    return 0;
}

char *perturb_strcpy(char *to, const char *from)
{
    perturb_size i = 0;
    do
        to[i] = from[i];
    while (from[i++]);
    return to;
}

char *perturb_strncpy(char *to, const char *from, perturb_size size)
{
    int is_over = 0;
    for (perturb_size i = 0; i < size; i++) {
        is_over = is_over || !from[i];
        to[i] = is_over ? 0 : from[i];
    }
    return to;
}

char *perturb_strcat(char *to, const char *from)
{
    perturb_strcpy(to + perturb_strlen(to), from);
    return to;
}

char *perturb_strncat(char *to, const char *from, perturb_size most)
{
    perturb_size at = perturb_strlen(to), i = 0;
    for (; i < most && from[i]; i++)
        to[at + i] = from[i];
    to[at + i] = 0;
    return to;
}

char *perturb_strchr(const char *text, int letter)
{
    for (perturb_size i = 0;; i++) {
        if (text[i] == (char)letter)
            return (char *)text + i;
        if (!text[i])
            return 0;
    }
}

char *perturb_strrchr(const char *text, int letter)
{
    char *found = 0;
    for (perturb_size i = 0;; i++) {
        if (text[i] == (char)letter)
            found = (char *)text + i;
        if (!text[i])
            return found;
    }
}

static int perturb_is_one(char letter, const char *of)
{
    for (perturb_size i = 0; of[i]; i++)
        if (of[i] == letter)
            return 1;
    return 0;
}

perturb_size perturb_strspn(const char *text, const char *of)
{
    perturb_size length = 0;
    while (text[length] && perturb_is_one(text[length], of))
        length++;
    return length;
}

perturb_size perturb_strcspn(const char *text, const char *of)
{
    perturb_size length = 0;
    while (text[length] && !perturb_is_one(text[length], of))
        length++;
    return length;
}

char *perturb_strpbrk(const char *text, const char *of)
{
    perturb_size length = perturb_strcspn(text, of);
    return text[length] ? (char *)text + length : 0;
}

char *perturb_strstr(const char *text, const char *part)
{
    for (perturb_size i = 0;; i++) {
        perturb_size length = 0;
        while (part[length] && text[i + length] == part[length])
            length++;
        if (!part[length])
            return (char *)text + i;
        if (!text[i])
            return 0;
    }
}

/* The classes that glibc has, from -128 to 255. */
static const unsigned short perturb_classes[384] = {
    [128 ... 136] = 2, [137] = 8195, [138 ... 141] = 8194, [142 ... 159] = 2, [160] = 24577, [161 ... 175] = 49156,
    [128 + '0' ... 128 + '9'] = 55304,
    [186 ... 192] = 49156, [128 + 'A' ... 128 + 'F'] = 54536, [128 + 'G' ... 128 + 'Z'] = 50440, [219 ... 224] = 49156,
    [128 + 'a' ... 128 + 'f'] = 54792, [128 + 'g' ... 128 + 'z'] = 50696, [251 ... 254] = 49156, [255] = 2,
};

const unsigned short **perturb___ctype_b_loc(void)
{
    static const unsigned short *classes = perturb_classes + 128;
    return &classes;
}

static int perturb_is(int letter, int class)
{
    return letter >= -128 && letter < 256 ? perturb_classes[128 + letter] & class : 0;
}

/* As glibc answers, which is more than yes or no. */
int perturb_isupper(int letter) { return perturb_is(letter, 256); }
int perturb_islower(int letter) { return perturb_is(letter, 512); }
int perturb_isalpha(int letter) { return perturb_is(letter, 1024); }
int perturb_isdigit(int letter) { return perturb_is(letter, 2048); }
int perturb_isxdigit(int letter) { return perturb_is(letter, 4096); }
int perturb_isspace(int letter) { return perturb_is(letter, 8192); }
int perturb_isprint(int letter) { return perturb_is(letter, 16384); }
int perturb_isgraph(int letter) { return perturb_is(letter, 32768); }
int perturb_isblank(int letter) { return perturb_is(letter, 1); }
int perturb_iscntrl(int letter) { return perturb_is(letter, 2); }
int perturb_ispunct(int letter) { return perturb_is(letter, 4); }
int perturb_isalnum(int letter) { return perturb_is(letter, 8); }

int perturb_tolower(int letter)
{
    return letter >= 'A' && letter <= 'Z' ? letter + 32 : letter >= -128 && letter < -1 ? letter + 256 : letter;
}
int perturb_toupper(int letter)
{
    return letter >= 'a' && letter <= 'z' ? letter - 32 : letter >= -128 && letter < -1 ? letter + 256 : letter;
}

int perturb_strncasecmp(const char *one, const char *other, perturb_size most)
{
    for (perturb_size i = 0; i < most; i++) {
        int a = perturb_tolower((perturb_byte)one[i]), b = perturb_tolower((perturb_byte)other[i]);
        if (a != b || !a)
            return a - b;
    }
    return 0;
}

int perturb_strcasecmp(const char *one, const char *other)
{
    return perturb_strncasecmp(one, other, (perturb_size)-1);
}
