/* jansson's hot loops: a large document is written, read, compared and copied. */
#include <jansson.h>

#include "hot.h"

static json_t *document, *twin;
static char *text;

void set_up(void)
{
	document = json_array();
	for (int i = 0; i < 1000; i++) {
		char key[32];
		json_t *object = json_object();

		snprintf(key, sizeof key, "key%d", i);
		json_object_set_new(object, key, json_integer(i * 7919));
		json_object_set_new(object, "text", json_string("a \\ text with \xc3\xa9 and \"more\" of it"));
		json_object_set_new(object, "real", json_real(i * 1.25));
		json_array_append_new(document, object);
	}
	text = json_dumps(document, JSON_COMPACT);
	twin = json_deep_copy(document);
	require(text != NULL && twin != NULL);
}

static void dump(void)
{
	char *dumped = json_dumps(document, JSON_COMPACT);

	require(dumped != NULL);
	free(dumped);
}

static void load(void)
{
	json_t *loaded = json_loads(text, 0, NULL);

	require(loaded != NULL);
	json_decref(loaded);
}

static void equal(void)
{
	require(json_equal(document, twin) == 1);
}

static void copy(void)
{
	json_decref(json_deep_copy(document));
}

static void look_up(void)
{
	for (size_t i = 0; i < json_array_size(document); i++)
		require(json_object_get(json_array_get(document, i), "real") != NULL);
}

const struct loop loops[] = {
	{ "dump", dump }, { "load", load }, { "equal", equal }, { "copy", copy }, { "look up", look_up }, { NULL, NULL }
};
