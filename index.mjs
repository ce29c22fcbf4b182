// One implementation for both module systems: an ESM import and a CommonJS require share the same classes.
export * from './dist/index.js'
