/**
 * Documents of limits from Nacos, for owners of a registry.
 *
 * <p>This is the automatic module {@code dev.weir.nacos}: the client of Nacos needs jars whose names are no names of modules
 * ({@code nacos-logback-adapter-12}), so it runs on the class path only.
 */
@NullMarked
package dev.weir.nacos;

import org.jspecify.annotations.NullMarked;
