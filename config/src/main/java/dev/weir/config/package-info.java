/** For applications: limiters by name, from one document that changes while they run. */
package dev.weir.config;
