package dev.weir.config.value;

import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Parameter;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.List;
import java.util.stream.Stream;

/** The constructor that has {@link ConfigParam} on each of its parameters, and can be accessed. */
final class ParamConstructor<T> {
    private final Constructor<T> constructor;

    @SuppressWarnings("unchecked") // A class has constructors of itself.
    ParamConstructor(Class<T> type) {
        List<Constructor<?>> constructors = Stream.of(type.getDeclaredConstructors())
                .filter(each -> Stream.of(each.getParameters()).anyMatch(ParamConstructor::isBound))
                .toList();
        if (constructors.size() != 1
                || !Stream.of(constructors.get(0).getParameters()).allMatch(ParamConstructor::isBound)) {
            throw new IllegalArgumentException(
                    type.getName() + " must have one constructor with @ConfigParam on each of its parameters");
        }
        constructor = (Constructor<T>) constructors.get(0);
        ParamMember.open(constructor);
    }

    private static boolean isBound(Parameter parameter) {
        return parameter.isAnnotationPresent(ConfigParam.class);
    }

    T call(ValueStore store, Converters converters) {
        Object[] arguments = Stream.of(constructor.getParameters())
                .map(parameter -> argument(parameter, store, converters))
                .toArray();
        try {
            return constructor.newInstance(arguments);
        } catch (InvocationTargetException e) {
            Throwable thrown = e.getCause();
            if (thrown instanceof RuntimeException unchecked) {
                throw unchecked;
            }
            if (thrown instanceof Error error) {
                throw error;
            }
            throw new IllegalStateException(name() + " failed", thrown);
        } catch (InstantiationException e) {
            throw new IllegalArgumentException(name() + " must not be abstract", e);
        } catch (IllegalAccessException e) {
            throw new AssertionError("it was made accessible", e);
        }
    }

    private Object argument(Parameter parameter, ValueStore store, Converters converters) {
        ConfigParam param = parameter.getAnnotation(ConfigParam.class);
        Type type = parameter.getParameterizedType();
        if (type instanceof ParameterizedType generic && generic.getRawType() == ConfigValue.class) {
            ParamKey key = ParamKey.of(param, generic.getActualTypeArguments()[0], converters);
            Object orElse = key.orElse()
                    .orElseThrow(() -> new IllegalArgumentException("@ConfigParam(\"" + key.key() + "\") of " + name()
                            + " must have orElse, or be a ConfigValue of an Optional"));
            return store.value(key.lookup(), orElse);
        }
        ParamKey key = ParamKey.of(param, type, converters);
        String missing = "@ConfigParam(\"" + key.key() + "\") of " + name() + " has neither a good value nor orElse";
        return key.in(store).get().orElseThrow(() -> new IllegalStateException(missing));
    }

    private String name() {
        return constructor.getDeclaringClass().getSimpleName();
    }
}
