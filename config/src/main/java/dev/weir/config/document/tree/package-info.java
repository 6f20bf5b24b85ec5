/** What a document says in any notation, before it is known what that means. For nobody else. */
@NullMarked
package dev.weir.config.document.tree;

import org.jspecify.annotations.NullMarked;
