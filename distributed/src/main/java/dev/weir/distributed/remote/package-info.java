/** For authors of stores that count a limit for all instances. */
package dev.weir.distributed.remote;
