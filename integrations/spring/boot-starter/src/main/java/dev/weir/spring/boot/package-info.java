/** The auto-configuration of Spring Boot applications, for those who write one: its limits are properties of the environment. */
package dev.weir.spring.boot;
