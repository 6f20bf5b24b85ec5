package dev.weir.spring;

import dev.weir.LimitExceededException;
import dev.weir.Rejection;
import dev.weir.named.plan.Nearest;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/** The method that refused calls of a limited method go to. Thread-safe. */
final class Fallback {
    private static final String OF_BEAN = "::";
    /* Of a method that does not ask for the rejection: any that does is nearer. */
    private static final int NOT_ASKED = Integer.MAX_VALUE;

    /** A method that fits, with the parameters of the limited one or not, and how far its last one is from the rejection, 0 = nearest. */
    private record Candidate(Method method, boolean arguments, int distance) {}

    private final @Nullable String bean;
    private final ConfigurableListableBeanFactory beans;
    private final Candidate chosen;
    /* (receiver, arguments) -> result */
    private final MethodHandle handle;

    private Fallback(@Nullable String bean, ConfigurableListableBeanFactory beans, Candidate chosen) {
        this.bean = bean;
        this.beans = beans;
        this.chosen = chosen;
        handle = handle(chosen.method);
    }

    /** The fallback that the annotation names, null if it names none. Throws if there is none that fits. */
    static @Nullable Fallback of(Limited limited, Method method, Class<?> type, ConfigurableListableBeanFactory beans) {
        String text = LimitedRequests.text(limited.fallback(), beans);
        if (text.isEmpty()) {
            return null;
        }
        int separator = text.indexOf(OF_BEAN);
        String bean = separator < 0 ? null : text.substring(0, separator);
        String name = separator < 0 ? text : text.substring(separator + OF_BEAN.length());
        Class<?> owner = bean == null ? type : type(bean, beans);
        return new Fallback(bean, beans, chosen(name, owner, bean != null, method));
    }

    private static Class<?> type(String bean, ConfigurableListableBeanFactory beans) {
        Class<?> type = beans.containsBean(bean) ? beans.getType(bean) : null;
        if (type == null) {
            throw new IllegalArgumentException("fallback must be of a bean, and there is no " + bean
                    + Nearest.to(bean, List.of(beans.getBeanDefinitionNames())));
        }
        return ClassUtils.getUserClass(type);
    }

    /** The methods with the name that the annotation says; empty if there are none. */
    static List<Method> named(Limited limited, Class<?> type, ConfigurableListableBeanFactory beans) {
        String text = LimitedRequests.text(limited.fallback(), beans);
        int separator = text.indexOf(OF_BEAN);
        if (separator < 0) {
            return named(text, type);
        }
        Class<?> owner = beans.getType(text.substring(0, separator));
        return owner == null ? List.of() : named(text.substring(separator + OF_BEAN.length()), owner);
    }

    private static List<Method> named(String name, Class<?> owner) {
        return Stream.of(ReflectionUtils.getUniqueDeclaredMethods(owner))
                .filter(each -> each.getName().equals(name) && !each.isBridge())
                .toList();
    }

    private static Candidate chosen(String name, Class<?> owner, boolean ofBean, Method method) {
        List<Method> named =
                named(name, owner).stream().filter(each -> !each.equals(method)).toList();
        if (named.isEmpty()) {
            Set<String> known = Stream.of(ReflectionUtils.getUniqueDeclaredMethods(owner))
                    .map(Method::getName)
                    .collect(Collectors.toCollection(TreeSet::new));
            throw new IllegalArgumentException("fallback must be another method of " + owner.getSimpleName() + ", was "
                    + name + Nearest.to(name, known));
        }
        return named.stream()
                .filter(each -> !ofBean || !Modifier.isPrivate(each.getModifiers()))
                .map(each -> candidate(each, method))
                .filter(Objects::nonNull)
                .min(Comparator.comparingInt(Candidate::distance).thenComparing(each -> !each.arguments))
                .orElseThrow(() -> new IllegalArgumentException("fallback must return "
                        + method.getReturnType().getSimpleName()
                        + " and have the parameters of the method, or these and a last one that takes a Rejection or a "
                        + "LimitExceededException, or that alone, was " + named));
    }

    private static @Nullable Candidate candidate(Method each, Method method) {
        Class<?>[] own = each.getParameterTypes();
        Class<?>[] wanted = method.getParameterTypes();
        boolean returns = ClassUtils.isAssignable(method.getReturnType(), each.getReturnType())
                && method.getReturnType().isPrimitive() == each.getReturnType().isPrimitive();
        if (!returns) {
            return null;
        }
        if (own.length == wanted.length + 1 && takes(own, wanted) && distance(own[wanted.length]) >= 0) {
            return new Candidate(each, true, distance(own[wanted.length]));
        }
        if (own.length == wanted.length && takes(own, wanted)) {
            return new Candidate(each, true, NOT_ASKED);
        }
        return own.length == 1 && distance(own[0]) >= 0 ? new Candidate(each, false, distance(own[0])) : null;
    }

    private static boolean takes(Class<?>[] own, Class<?>[] given) {
        return IntStream.range(0, given.length).allMatch(i -> own[i].isAssignableFrom(given[i]));
    }

    /* How far a type is from the rejection; negative = it does not take it. */
    private static int distance(Class<?> type) {
        if (type == Rejection.class) {
            return 0;
        }
        int distance = 1;
        for (Class<?> each = LimitExceededException.class; each != Object.class; each = each.getSuperclass()) {
            if (each == type) {
                return distance;
            }
            distance++;
        }
        return -1;
    }

    private static MethodHandle handle(Method method) {
        ReflectionUtils.makeAccessible(method);
        MethodHandle found;
        try {
            found = MethodHandles.lookup().unreflect(method);
        } catch (IllegalAccessException e) {
            throw new IllegalArgumentException("fallback must be accessible, was " + method, e);
        }
        if (Modifier.isStatic(method.getModifiers())) {
            found = MethodHandles.dropArguments(found, 0, Object.class);
        }
        return found.asType(found.type().generic())
                .asSpreader(Object[].class, method.getParameterCount())
                .asType(MethodType.methodType(Object.class, Object.class, Object[].class));
    }

    @Nullable
    Object call(Object target, @Nullable Object[] arguments, Rejection refused) throws Throwable {
        List<@Nullable Object> given = new ArrayList<>();
        if (chosen.arguments) {
            Collections.addAll(given, arguments);
        }
        if (chosen.distance < NOT_ASKED) {
            given.add(chosen.distance == 0 ? refused : new LimitExceededException(refused));
        }
        Object receiver = bean == null ? target : beans.getBean(bean);
        return (Object) handle.invokeExact(receiver, given.toArray());
    }
}
