/** Limits that Redis or Valkey counts, a source of documents and a registry of instances in it, for applications. */
package dev.weir.redis;
