package dev.weir.spring;

import java.lang.reflect.Method;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.beans.BeanUtils;
import org.springframework.beans.factory.aot.BeanRegistrationAotContribution;
import org.springframework.beans.factory.aot.BeanRegistrationAotProcessor;
import org.springframework.beans.factory.support.RegisteredBean;
import org.springframework.util.ClassUtils;

/**
 * Tells what limited methods call by reflection in a native image: their fallbacks, and what their expressions may read of parameters
 * and of the bean. Found by {@code META-INF/spring/aot.factories}.
 */
final class LimitedHints implements BeanRegistrationAotProcessor {
    LimitedHints() {}

    @Override
    public @Nullable BeanRegistrationAotContribution processAheadOfTime(RegisteredBean bean) {
        Class<?> type = ClassUtils.getUserClass(bean.getBeanClass());
        List<Method> methods = LimitedMethods.isCandidate(type) ? LimitedMethods.of(type) : List.of();
        if (methods.isEmpty()) {
            return null;
        }
        return (generation, code) -> {
            ReflectionHints hints = generation.getRuntimeHints().reflection();
            for (Method method : methods) {
                Limited limited = LimitedMethods.annotation(method, type);
                if (limited != null) {
                    hints.registerMethod(method, ExecutableMode.INVOKE);
                    Fallback.named(limited, type, bean.getBeanFactory())
                            .forEach(each -> hints.registerMethod(each, ExecutableMode.INVOKE));
                    expressions(limited, method, type, hints);
                }
            }
        };
    }

    private static void expressions(Limited limited, Method method, Class<?> type, ReflectionHints hints) {
        String all = limited.key() + String.join("", limited.keys()) + limited.cost();
        if (all.equals("1")) {
            return;
        }
        hints.registerType(type, MemberCategory.INVOKE_PUBLIC_METHODS);
        for (Class<?> parameter : method.getParameterTypes()) {
            if (!BeanUtils.isSimpleValueType(parameter)) {
                hints.registerType(parameter, MemberCategory.INVOKE_PUBLIC_METHODS);
                new BindingReflectionHintsRegistrar().registerReflectionHints(hints, parameter);
            }
        }
    }
}
