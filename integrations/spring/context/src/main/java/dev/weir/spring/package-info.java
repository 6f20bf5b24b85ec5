/** Limits before methods of Spring beans, for applications that name the limits in an annotation. */
package dev.weir.spring;
