package dev.weir.config.value;

import dev.weir.spi.Registration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * The section {@code values} of a document, for the application: any setting that should change while it runs. Thread-safe; no
 * method blocks, but {@link #bind} calls the methods that it binds.
 *
 * <pre>{@code
 * ConfigValue<Duration> timeout = values.value("mail.timeout", Duration.class, Duration.ofSeconds(2));
 * send(mail, timeout.get());
 * }</pre>
 *
 * <p>Types: {@code String}, {@code int}, {@code long}, {@code double}, {@code boolean} and their boxes, {@code Duration} ({@code
 * 200ms}), {@code PermitRate} ({@code 100/s}), enums ({@code lower-case} or {@code UPPER_CASE}), {@code Path}, {@code URI}, those
 * that the registry was given a converter for, and lists and {@code Optional}s of them. Whole numbers may have a unit: {@code
 * 10k} is 10,000, {@code 64KiB} is 65,536; {@code 10%} is 0.1. A list is one of the document, or one text with commas.
 *
 * <p>A text that cannot be converted, breaks its rule or is refused by a method is reported by key and rule, never with the text,
 * which may be a secret; the last good value stays in force. Before the first document, and while the document in force does not
 * have the key, the value is the default.
 */
public final class ConfigValues {
    private final ValueStore store;
    private final Converters converters;
    private final ParamBinder binder;

    /**
     * The values of this store.
     *
     * @param own functions of the application from text to a type, which come before the conversions that are known
     */
    public ConfigValues(ValueStore store, Map<Class<?>, ? extends Function<String, ?>> own) {
        this.store = store;
        this.converters = new Converters(own);
        this.binder = new ParamBinder(store, converters);
    }

    /**
     * The value of a key. Keep what is returned: each call makes another one.
     *
     * @param orElse the default; not null
     * @throws IllegalArgumentException if the key is empty, or there is no converter for the type
     */
    public <T> ConfigValue<T> value(String key, Class<T> type, T orElse) {
        return store.value(key, converters.<T>to(type), Objects.requireNonNull(orElse, "orElse"));
    }

    /**
     * The same, refusing values that break a rule.
     *
     * @param check whether a value is good; should return at once. An exception means that it is not
     * @param rule what the check demands, for reports: {@code "must be > 0"}
     * @throws IllegalArgumentException also if the default breaks the rule
     */
    public <T> ConfigValue<T> value(String key, Class<T> type, T orElse, Predicate<? super T> check, String rule) {
        Objects.requireNonNull(orElse, "orElse");
        if (!Objects.requireNonNull(check, "check").test(orElse)) {
            throw new IllegalArgumentException("orElse of " + key + " " + rule);
        }
        return store.value(key, Converters.checked(converters.<T>to(type), check, rule), orElse);
    }

    /**
     * The list at a key: elements of this type, also one text with commas.
     *
     * @param orElse the default; not null
     * @throws IllegalArgumentException if the key is empty, or there is no converter for the type
     */
    public <E> ConfigValue<List<E>> list(String key, Class<E> type, List<E> orElse) {
        return store.value(
                key, Converters.list(converters.<E>to(type)), List.copyOf(Objects.requireNonNull(orElse, "orElse")));
    }

    /**
     * The value of a key, or empty while the document does not have it.
     *
     * @throws IllegalArgumentException if the key is empty, or there is no converter for the type
     */
    public <T> ConfigValue<Optional<T>> optional(String key, Class<T> type) {
        return store.value(key, Converters.optional(converters.<T>to(type)), Optional.empty());
    }

    /**
     * Binds the methods and fields of an object, also of its superclasses, that have {@link ConfigParam}: each is called or set
     * now, by this thread, and after each change. If a method refuses the present value, that is reported, and the method is
     * called with its default; if that is refused too, nothing is bound.
     *
     * <p>The object is not kept: it is bound while the application, or the registration, holds it. Close the registration to end
     * this earlier.
     *
     * @throws IllegalArgumentException if nothing has {@code ConfigParam}, a member cannot be bound or accessed, there is no
     *     converter for its type, or its default is bad
     */
    public Registration bind(Object target) {
        return binder.bind(Objects.requireNonNull(target, "target"));
    }
}
