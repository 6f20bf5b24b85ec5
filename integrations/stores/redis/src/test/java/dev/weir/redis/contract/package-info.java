/** For tests of the scripts on another topology or another server. */
package dev.weir.redis.contract;
