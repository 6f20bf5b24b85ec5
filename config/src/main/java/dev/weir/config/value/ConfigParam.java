package dev.weir.config.value;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A binding of a method with one parameter, or of a field, to a key of the section {@code values} of a document. {@link
 * ConfigValues#bind} calls the method and sets the field.
 *
 * <pre>{@code
 * private volatile Semaphore semaphore;
 *
 * @ConfigParam(value = "permits", orElse = "40")
 * void onUpdate(int permits) {
 *     if (permits <= 0) {
 *         throw new IllegalArgumentException("permits must be > 0");
 *     }
 *     semaphore = new Semaphore(permits);
 * }
 * }</pre>
 *
 * <p>A method refuses a value by an exception: the value is reported, and the method is not called until there is another one.
 * It should change nothing then. It is called by one thread at a time, as a {@linkplain ConfigValue#onChange listener} is. A
 * field should be volatile, and must be neither final nor static.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.FIELD})
public @interface ConfigParam {
    /** The key, such as {@code "mail.timeout"}; not empty. */
    String value();

    /**
     * The value for documents without the key, as text: one element. By default there is none: a method is then called only
     * while there is a value, and a field has the value that it had when it was bound.
     */
    String[] orElse() default {};
}
