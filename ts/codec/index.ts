export { decode } from './decode'
export { CODEC_JSON, CODEC_TAGGED, encode, type Payload } from './encode'
export { encodeThrown } from './encode-thrown'
export { DEPTH_MAX, VALUE_BYTES_MAX } from './limits'
