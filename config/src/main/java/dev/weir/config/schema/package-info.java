/** What documents may contain, for editors and readers, made from the factories. For nobody else. */
@NullMarked
package dev.weir.config.schema;

import org.jspecify.annotations.NullMarked;
