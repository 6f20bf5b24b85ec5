/** The factories by which an algorithm, a discipline, a controller or a signal gets a name in documents, for extenders. */
package dev.weir.config.factory;
