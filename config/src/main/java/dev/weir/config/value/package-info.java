/** Values of an application by key, which follow the document. */
package dev.weir.config.value;
