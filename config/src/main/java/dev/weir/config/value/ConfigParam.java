package dev.weir.config.value;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A binding of a method with one parameter, a field or a parameter of a constructor to a key of the section {@code values} of a
 * document. {@link ConfigValues#bind} calls the method and sets the field, {@link ConfigValues#create} calls the constructor. If
 * the type is a record, its components are the {@linkplain ConfigValues#group values below the key}, all of one document. On a
 * component of a record, a binding to a key below that of the record.
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
@Target({ElementType.METHOD, ElementType.FIELD, ElementType.PARAMETER, ElementType.RECORD_COMPONENT})
public @interface ConfigParam {
    /** The key, such as {@code "mail.timeout"}; not empty. */
    String value();

    /**
     * The value for documents without the key, as text: one element. By default there is none: a method is then called only
     * while there is a value, a field has the value that it had when it was bound, and a constructor fails.
     */
    String[] orElse() default {};
}
