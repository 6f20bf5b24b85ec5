/**
 * Documents of limits from Apollo, for owners of a registry.
 *
 * <p>This is the automatic module {@code dev.weir.apollo}: the jars of the client have no module names of their own. On JDK 17
 * and newer the client needs {@code --add-opens java.base/java.lang=ALL-UNNAMED}.
 */
@NullMarked
package dev.weir.apollo;

import org.jspecify.annotations.NullMarked;
