/** For applications: values by key that follow the document. */
package dev.weir.config.value;
