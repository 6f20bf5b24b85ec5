/** For applications that keep their limits in Redis or Valkey. */
package dev.weir.redis;
