// What C++ adds to the code: exceptions, destructors, virtual calls, templates, references.
struct Guard { int *p; ~Guard() { ++*p; } };
struct Base { virtual int f(int) = 0; virtual ~Base() {} };
struct Derived : Base { int n = 3; int f(int x) override { return x + n; } };
int risky(int);
template <class T> T largest(const T &a, const T &b) { return a < b ? b : a; }
int caught(int x)
{
    int count = 0;
    try {
        Guard guard{&count};
        return risky(x);
    } catch (int e) {
        return e + count;
    } catch (...) {
        throw;
    }
}
int filtered(int x) noexcept { return risky(x); }
int dispatch(Base &b, int x) { return b.f(x) + largest(x, 4) + static_cast<int>(largest(1.5, 2.5)); }
int derived(int x) { Derived d; return dispatch(d, x); }
static Derived global;
