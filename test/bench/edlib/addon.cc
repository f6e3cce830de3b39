// edlib as a function of Node: align(query, text, k) → [distance, start, end], bytes, semi-global, with locations.
#include <edlib.h>
#include <node_api.h>

static napi_value Align(napi_env env, napi_callback_info info) {
  size_t count = 3, query_length, text_length;
  napi_value arguments[3];
  void *query, *text;
  int32_t k;
  napi_get_cb_info(env, info, &count, arguments, nullptr, nullptr);
  napi_get_buffer_info(env, arguments[0], &query, &query_length);
  napi_get_buffer_info(env, arguments[1], &text, &text_length);
  napi_get_value_int32(env, arguments[2], &k);
  EdlibAlignResult found =
      edlibAlign(static_cast<char*>(query), static_cast<int>(query_length), static_cast<char*>(text), static_cast<int>(text_length),
                 edlibNewAlignConfig(k, EDLIB_MODE_HW, EDLIB_TASK_LOC, nullptr, 0));
  const bool located = found.numLocations > 0 && found.startLocations != nullptr;
  const int32_t values[3] = {found.editDistance, located ? found.startLocations[0] : -1, located ? found.endLocations[0] + 1 : -1};
  edlibFreeAlignResult(found);
  napi_value result;
  napi_create_array_with_length(env, 3, &result);
  for (uint32_t i = 0; i < 3; i++) {
    napi_value value;
    napi_create_int32(env, values[i], &value);
    napi_set_element(env, result, i, value);
  }
  return result;
}

static napi_value Init(napi_env env, napi_value exports) {
  napi_value align;
  napi_create_function(env, "align", NAPI_AUTO_LENGTH, Align, nullptr, &align);
  napi_set_named_property(env, exports, "align", align);
  return exports;
}

NAPI_MODULE(NODE_GYP_MODULE_NAME, Init)
