/** For applications: limiters by name, values by key, and the sources that both are read from. */
package dev.weir.config;
