package dev.weir.config.value;

import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * A method or field that has {@link ConfigParam}, and can be accessed.
 *
 * @param name such as {@code "Gate.onUpdate"}
 * @param setter sets it to a value
 * @param clearing sets it to what it is without a value and a default: a field to the value that it had before it was bound
 */
record ParamMember(ConfigParam param, Type type, String name, Setter setter, Clearing clearing) {
    /** The code that sets a member of an object. */
    interface Setter {
        void set(Object target, Object value) throws Throwable;
    }

    /** The code that undoes it. */
    interface Clearing {
        void clear(Object target) throws Throwable;
    }

    /** The methods and fields of an object's class and of its superclasses, the overridden ones once. */
    static List<ParamMember> of(Object target) {
        List<ParamMember> members = new ArrayList<>();
        Set<List<Object>> methods = new HashSet<>();
        for (Class<?> type = target.getClass(); type != null; type = type.getSuperclass()) {
            for (Field field : type.getDeclaredFields()) {
                if (field.isAnnotationPresent(ConfigParam.class)) {
                    members.add(of(field, target));
                }
            }
            for (Method method : type.getDeclaredMethods()) {
                if (!method.isBridge()
                        && method.isAnnotationPresent(ConfigParam.class)
                        && methods.add(signature(method))) {
                    members.add(of(method));
                }
            }
        }
        return members;
    }

    /* A private method overrides nothing. */
    private static List<Object> signature(Method method) {
        return Modifier.isPrivate(method.getModifiers())
                ? List.of(method)
                : List.of(method.getName(), Arrays.asList(method.getParameterTypes()));
    }

    private static ParamMember of(Method method) {
        check(!Modifier.isStatic(method.getModifiers()), method, "must not be on a static method");
        check(method.getParameterCount() == 1, method, "must be on a method with one parameter");
        open(method);
        Setter setter = (target, value) -> {
            try {
                method.invoke(target, value);
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        };
        ConfigParam param = method.getAnnotation(ConfigParam.class);
        return new ParamMember(param, method.getGenericParameterTypes()[0], nameOf(method), setter, target -> {});
    }

    private static ParamMember of(Field field, Object owner) {
        check(!Modifier.isStatic(field.getModifiers()), field, "must not be on a static field");
        check(!Modifier.isFinal(field.getModifiers()), field, "must not be on a final field");
        open(field);
        try {
            ConfigParam param = field.getAnnotation(ConfigParam.class);
            Object before = field.get(owner);
            return new ParamMember(
                    param, field.getGenericType(), nameOf(field), field::set, target -> field.set(target, before));
        } catch (IllegalAccessException e) {
            throw new AssertionError("it was made accessible", e);
        }
    }

    /** Makes a member accessible, or says what prevents it. */
    static <M extends AccessibleObject & Member> void open(M member) {
        if (!member.trySetAccessible()) {
            Class<?> type = member.getDeclaringClass();
            Module own = ConfigParam.class.getModule();
            String reader = own.isNamed() ? " to " + own.getName() : "";
            throw new IllegalArgumentException("@ConfigParam of " + nameOf(member) + " needs \"opens "
                    + type.getPackageName() + reader + ";\" in the module-info of "
                    + type.getModule().getName());
        }
    }

    private static String nameOf(Member member) {
        return member.getDeclaringClass().getSimpleName() + "." + member.getName();
    }

    private static void check(boolean holds, Member member, String rule) {
        if (!holds) {
            throw new IllegalArgumentException("@ConfigParam of " + nameOf(member) + " " + rule);
        }
    }
}
