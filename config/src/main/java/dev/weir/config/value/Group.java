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
 * @param constructor the one that has all components, accessible
 * @param components in their order
 */
record Group<R>(Constructor<? extends R> constructor, List<Lookup<Object>> components) {
    /**
     * The value of a record.
     *
     * @param prefix empty = the keys of the components are whole
     * @throws IllegalArgumentException if a component has no converter or a bad default, or the constructor cannot be accessed
     */
    static <R> Lookup<R> lookup(String prefix, Class<? extends R> type, Converters converters) {
        RecordComponent[] components = type.getRecordComponents();
        try {
            Constructor<? extends R> constructor = type.getDeclaredConstructor(
                    Stream.of(components).map(RecordComponent::getType).toArray(Class<?>[]::new));
            ParamMember.open(constructor);
            Group<R> group = new Group<>(
                    constructor,
                    Stream.of(components)
                            .map(component -> component(prefix, component, converters))
                            .toList());
            return new Lookup<>(prefix, group::texts, group::convert, group.defaults());
        } catch (NoSuchMethodException e) {
            throw new AssertionError("a record has a constructor with all components", e);
        }
    }

    private static Lookup<Object> component(String prefix, RecordComponent component, Converters converters) {
        ConfigParam param = component.getAnnotation(ConfigParam.class);
        String name = param == null ? hyphenated(component.getName()) : param.value();
        return Lookup.of(
                prefix.isEmpty() ? name : prefix + "." + name,
                param == null ? new String[0] : param.orElse(),
                component.getGenericType(),
                converters);
    }

    private static String hyphenated(String name) {
        return name.replaceAll("(?<=.)(?=\\p{Upper})", "-").toLowerCase(Locale.ROOT);
    }

    /** The record of a document without the keys; empty if a component has no default. */
    private Optional<R> defaults() {
        return components.stream().allMatch(component -> component.orElse().isPresent())
                ? Optional.of(convert(Arrays.asList(new @Nullable Object[components.size()])))
                : Optional.empty();
    }

    private Object texts(ValueDocument document) {
        if (components.stream().anyMatch(component -> document.isUnreadable(component.key()))) {
            return Lookup.AS_BEFORE;
        }
        List<@Nullable Object> texts = new ArrayList<>();
        components.forEach(component -> texts.add(component.texts().apply(document)));
        return texts;
    }

    private R convert(Object texts) {
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
