/** The settings of one name: what code, a document or a hand wants of it, and what is wrong with that. */
package dev.weir.named.plan;
