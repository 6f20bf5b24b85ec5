/** For tools: reads a document of limits, and says everything that is wrong with it. */
package dev.weir.config.document;
