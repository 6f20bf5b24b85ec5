package dev.weir.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.aot.hint.annotation.Reflective;
import org.springframework.core.annotation.AliasFor;

/**
 * A method that runs under a limit with a name, or a class whose public methods do, but for {@code toString}, {@code equals} and
 * {@code hashCode}: each call acquires a permit first, and
 * releases it when its work has ended. A call that is refused goes to the {@link #fallback}, or without one throws a {@link
 * dev.weir.LimitExceededException}.
 *
 * <pre>{@code
 * @Limited(name = "checkout", key = "#order.customer", maxWait = "200ms", fallback = "later")
 * Receipt sell(Order order) {...}
 *
 * Receipt later(Order order, Rejection refused) {...}
 * }</pre>
 *
 * <p>The work of a method that returns a {@code CompletionStage} or a {@code CompletableFuture} has ended when that has
 * completed, also exceptionally or by cancellation. That of a {@code Mono}, a {@code Flux} or another type that Spring's {@code
 * ReactiveAdapterRegistry} knows begins at each subscription and ends when that terminates or is cancelled. That of an
 * {@code @Async} method is what its executor runs. All other work has ended when the method returns or throws.
 *
 * <p>All is checked when the application starts, and what is wrong stops the start: an unknown name, an expression that
 * cannot be parsed or that names no parameter, a part of the key of the limit that is not given, a fallback that does
 * not fit, and a method that no proxy can see. All texts may have placeholders ({@code "${orders.limit}"}).
 *
 * <p>A call of a method of the same object is not limited, because it does not pass the proxy.
 *
 * @see EnableLimited
 */
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Reflective
public @interface Limited {
    /** The name of the limit; the same as {@link #name}. */
    @AliasFor("name")
    String value() default "";

    /** The name of the limit, as documents or code have it. */
    @AliasFor("value")
    String name() default "";

    /** The names of several limits that must all grant a call, or none is used; instead of {@link #name}. */
    String[] names() default {};

    /**
     * The value that the limit counts by, as an expression of Spring (SpEL): {@code "#user.id"}; empty = none. It counts as text: an
     * {@code Optional} as what it has, and a value without a {@code toString()} of its own, such as an array, fails the call.
     * The parameters of the method have their names, if it is compiled with {@code -parameters}, and {@code #p0}, {@code #p1}; beans
     * are {@code @name}, and what has no prefix belongs to the bean of the method. A value that is null or empty is a missing
     * key: by default the call is refused as {@code KEY_MISSING}. What the expression throws, the call throws.
     */
    String key() default "";

    /**
     * The values of the dimensions of a key, for a limit that counts by several: {@code {"user=#user.id", "ip=#request.ip"}};
     * instead of {@link #key}.
     */
    String[] keys() default {};

    /** The permits that a call needs, of each limit: a number of at least 1, or an expression as for {@link #key}. */
    String cost() default "1";

    /**
     * The longest wait of a call for a permit: {@code "200ms"}, {@code "PT2S"}; empty = as long as the queue of the limit says. A limit
     * without a queue refuses at once, whatever this says.
     */
    String maxWait() default "";

    /**
     * The method that a refused call goes to, of the same class or of another bean ({@code "bean::method"}); empty = none. It has the
     * return type of the method and its parameters, or these and a last one for the rejection, or that alone. The last one is a {@link
     * dev.weir.Rejection}, a {@link dev.weir.LimitExceededException} or a supertype of that up to {@code Throwable}; of several methods
     * with the name, the one with the nearest type is called. What the work itself throws does not go there.
     */
    String fallback() default "";
}
