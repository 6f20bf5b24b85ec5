/** Limits by key: memory, floods of keys, keys that collide. */
package dev.weir.verification.keyed;
