package dev.weir.spring;

import dev.weir.internal.Require;
import dev.weir.named.NamedLimiter;
import dev.weir.named.Names;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionValidationException;
import org.springframework.core.MethodClassKey;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.expression.ExpressionParser;
import org.springframework.format.datetime.standard.DurationFormatterUtils;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * The limited methods of the classes of beans, each resolved once, however many beans there are of its class. Thread-safe.
 */
final class LimitedMethods {
    private final Map<MethodClassKey, LimitedMethod> resolved = new ConcurrentHashMap<>();
    private final ConfigurableListableBeanFactory beans;
    private final ExpressionParser parser;

    LimitedMethods(ConfigurableListableBeanFactory beans, ExpressionParser parser) {
        this.beans = beans;
        this.parser = parser;
    }

    static boolean isCandidate(Class<?> type) {
        return AnnotationUtils.isCandidateClass(type, Limited.class);
    }

    /** The annotation of the method, or of its class if it is public; null = it is not limited. */
    static @Nullable Limited annotation(Method method, Class<?> type) {
        Method specific = specific(method, type);
        if (specific.getDeclaringClass() == Object.class) {
            return null;
        }
        Limited own = AnnotatedElementUtils.findMergedAnnotation(specific, Limited.class);
        boolean isOfClass = Modifier.isPublic(specific.getModifiers())
                && !Modifier.isStatic(specific.getModifiers())
                && !ReflectionUtils.isObjectMethod(specific);
        return own != null || !isOfClass
                ? own
                : AnnotatedElementUtils.findMergedAnnotation(ClassUtils.getUserClass(type), Limited.class);
    }

    /* That of the class; of a proxy by interfaces, that of the interface, whose parameters have names. */
    private static Method specific(Method method, Class<?> type) {
        Method found = AopUtils.getMostSpecificMethod(method, type);
        return Proxy.isProxyClass(found.getDeclaringClass())
                ? ClassUtils.getInterfaceMethodIfPossible(found, type)
                : found;
    }

    /** The limited methods of a class, also those that cannot be limited. */
    static List<Method> of(Class<?> type) {
        List<Method> found = new ArrayList<>();
        ReflectionUtils.doWithMethods(
                type,
                method -> found.add(method),
                method -> !method.isBridge()
                        && !method.isSynthetic()
                        && !found.contains(method)
                        && ClassUtils.getMostSpecificMethod(method, type).equals(method)
                        && annotation(method, type) != null);
        return found;
    }

    static String problem(Method method, String rule) {
        String parameters =
                Stream.of(method.getParameterTypes()).map(Class::getSimpleName).collect(Collectors.joining(", "));
        return "@Limited on " + method.getDeclaringClass().getSimpleName() + "." + method.getName() + "(" + parameters
                + "): " + rule;
    }

    /** Resolves the limited methods of a class, and adds what is wrong with them. */
    void check(Class<?> type, List<String> problems) {
        for (Method method : of(type)) {
            try {
                LimitedMethod unused = find(method, type);
            } catch (BeanDefinitionValidationException e) {
                problems.add(Objects.requireNonNull(e.getMessage()));
            }
        }
    }

    /** The limited method that a call of this one reaches. Throws if it cannot be limited as it says. */
    LimitedMethod find(Method method, Class<?> type) {
        MethodClassKey key = new MethodClassKey(method, type);
        LimitedMethod present = resolved.get(key);
        if (present != null) {
            return present;
        }
        // Not under a lock of the map: it may make beans, which other threads make under locks of their own.
        LimitedMethod made = resolve(method, type);
        LimitedMethod other = resolved.putIfAbsent(key, made);
        return other == null ? made : other;
    }

    private LimitedMethod resolve(Method method, Class<?> type) {
        Class<?> user = ClassUtils.getUserClass(type);
        Method specific = specific(method, user);
        Class<?> owner = Proxy.isProxyClass(user) ? specific.getDeclaringClass() : user;
        Limited limited = Objects.requireNonNull(annotation(specific, user));
        try {
            String unreachable = unreachable(specific, user);
            if (unreachable != null) {
                throw new IllegalArgumentException(unreachable);
            }
            NamedLimiter limiter = limiter(limited);
            LimitedRequests requests = new LimitedRequests(specific, limited, limiter, parser, beans);
            requests.check();
            return new LimitedMethod(
                    limiter,
                    requests,
                    maxWait(limited),
                    CallForm.of(specific, limited),
                    Fallback.of(limited, specific, owner, beans));
        } catch (IllegalArgumentException | IllegalStateException e) {
            throw new BeanDefinitionValidationException(problem(specific, String.valueOf(e.getMessage())), e);
        }
    }

    /** Why no proxy of the class sees calls of the method; null if one does. */
    static @Nullable String unreachable(Method method, Class<?> type) {
        int modifiers = method.getModifiers();
        boolean isFinal = Modifier.isFinal(type.getModifiers());
        if (Modifier.isPrivate(modifiers)) {
            return "must not be private, because a proxy does not see its calls";
        }
        if (Modifier.isStatic(modifiers)) {
            return "must not be static, because a proxy does not see its calls";
        }
        if (isFinal && ClassUtils.getAllInterfacesForClass(type).length == 0) {
            return type.getSimpleName()
                    + " must not be final, or have an interface, because a proxy is a subclass of it or has its interfaces";
        }
        if (Modifier.isFinal(modifiers) && !isFinal) {
            return "must not be final, because a proxy cannot override it";
        }
        return null;
    }

    private List<String> names(Limited limited) {
        String[] all = limited.names();
        if (all.length > 0 && !limited.name().isEmpty()) {
            throw new IllegalArgumentException(
                    "name and names must not both be given, were " + limited.name() + " and " + Arrays.toString(all));
        }
        List<String> names = Stream.of(all.length > 0 ? all : new String[] {limited.name()})
                .map(name -> LimitedRequests.text(name, beans))
                .toList();
        if (names.contains("")) {
            throw new IllegalArgumentException("name must not be empty");
        }
        return names;
    }

    private NamedLimiter limiter(Limited limited) {
        List<String> all = names(limited);
        return all.size() == 1
                ? names().limiter(all.get(0))
                : names().limiter(
                                all.get(0),
                                all.get(1),
                                all.subList(2, all.size()).toArray(String[]::new));
    }

    private Names names() {
        try {
            return beans.getBean(Names.class);
        } catch (NoSuchBeanDefinitionException e) {
            throw new IllegalStateException(
                    "there must be one bean of " + Names.class.getName() + ": " + e.getMessage(), e);
        }
    }

    private @Nullable Duration maxWait(Limited limited) {
        String text = LimitedRequests.text(limited.maxWait(), beans);
        if (text.isEmpty()) {
            return null;
        }
        Require.that(!text.matches("[-+]?[0-9]+"), "maxWait must have a unit, such as 200ms", text);
        Duration wait;
        try {
            wait = DurationFormatterUtils.detectAndParse(text);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("maxWait must be a duration such as 200ms, was " + text, e);
        }
        Require.that(!wait.isNegative(), "maxWait must be >= 0", text);
        return wait;
    }
}
