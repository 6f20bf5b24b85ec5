/** For extenders: gives an algorithm, a discipline, a controller or a signal a name in documents. */
package dev.weir.config.factory;
