package dev.weir.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.context.annotation.Import;

/** A configuration class of an application whose beans have {@link Limited} methods; it imports {@link LimitedConfiguration}. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Import(LimitedConfiguration.class)
public @interface EnableLimited {}
