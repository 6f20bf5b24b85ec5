package dev.weir.config.value;

import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A record with components from the keys below a prefix, all of one document.
 *
 * @param prefix empty = the keys of the components are whole
 * @param constructor the one that has all components, accessible
 * @param components in their order
 */
record Group<R>(String prefix, Constructor<R> constructor, List<ParamKey> components) {
    /**
     * The group of a record.
     *
     * @throws IllegalArgumentException if a component has no converter or a bad default, or the constructor cannot be accessed
     */
    static <R> Group<R> of(String prefix, Class<R> type, Converters converters) {
        RecordComponent[] components = type.getRecordComponents();
        try {
            Constructor<R> constructor = type.getDeclaredConstructor(
                    Stream.of(components).map(RecordComponent::getType).toArray(Class<?>[]::new));
            ParamMember.open(constructor);
            return new Group<>(
                    prefix,
                    constructor,
                    Stream.of(components)
                            .map(component -> component(prefix, component, converters))
                            .toList());
        } catch (NoSuchMethodException e) {
            throw new AssertionError("a record has a constructor with all components", e);
        }
    }

    private static ParamKey component(String prefix, RecordComponent component, Converters converters) {
        ConfigParam param = component.getAnnotation(ConfigParam.class);
        String name = param == null ? hyphenated(component.getName()) : param.value();
        return ParamKey.ofOne(
                prefix.isEmpty() ? name : prefix + "." + name,
                param == null ? new String[0] : param.orElse(),
                component.getGenericType(),
                converters);
    }

    private static String hyphenated(String name) {
        return name.replaceAll("(?<=.)(?=\\p{Upper})", "-").toLowerCase(Locale.ROOT);
    }

    /** The record of a document without the keys; empty if a component has no default. */
    Optional<R> defaults() {
        return components.stream().allMatch(component -> component.orElse().isPresent())
                ? Optional.of(convert(Arrays.asList(new @Nullable Object[components.size()])))
                : Optional.empty();
    }

    /** The value of the group. Without defaults, a document without the keys is bad. */
    Lookup<R> lookup() {
        return new Lookup<>(prefix, defaults().isPresent() ? this::texts : this::all, this::convert);
    }

    @Nullable
    Object texts(ValueDocument document) {
        Object texts = all(document);
        return texts instanceof List<?> each && each.stream().allMatch(Objects::isNull) ? null : texts;
    }

    private Object all(ValueDocument document) {
        if (components.stream().anyMatch(component -> document.isUnreadable(component.key()))) {
            return Lookup.AS_BEFORE;
        }
        List<@Nullable Object> texts = new ArrayList<>();
        components.forEach(component -> texts.add(component.lookup().texts().apply(document)));
        return texts;
    }

    R convert(Object texts) {
        List<?> each = (List<?>) texts;
        Object[] arguments = new Object[components.size()];
        for (int i = 0; i < arguments.length; i++) {
            arguments[i] = components.get(i).value(each.get(i));
        }
        try {
            return constructor.newInstance(arguments);
        } catch (InvocationTargetException e) {
            // Its message may show a secret.
            throw new IllegalArgumentException("must be accepted by "
                    + constructor.getDeclaringClass().getSimpleName() + ", which threw "
                    + Objects.requireNonNull(e.getCause()).getClass().getName());
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("it was made accessible", e);
        }
    }
}
