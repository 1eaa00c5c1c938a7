/* What the battery holds, counted and corrected. */
#include "flight.h"

#define CAPACITY_MAS 7200000
#define PERMILLE_MAS (CAPACITY_MAS / 1000)
#define FULL_MV 8350
#define LOW_MV 6900
#define CRITICAL_MV 6500

void power_account(struct flight *f, const struct sensors *in)
{
	f->charge_rest += in->current_ma;
	while (f->charge_rest >= PERMILLE_MAS) {
		f->charge_rest -= PERMILLE_MAS;
		f->charge_permille++;
	}
	while (f->charge_rest <= -PERMILLE_MAS) {
		f->charge_rest += PERMILLE_MAS;
		f->charge_permille--;
	}
	if (in->voltage_mv >= FULL_MV && in->current_ma >= 0)
		f->charge_permille = 1000;
	if (f->charge_permille > 1000)
		f->charge_permille = 1000;
	if (f->charge_permille < 0)
		f->charge_permille = 0;
	f->dark_s = in->sunlit ? 0 : (uint16_t)(f->dark_s + 1);
}

int power_allows_payload(const struct flight *f, const struct sensors *in)
{
	return f->charge_permille > 600 && in->voltage_mv > LOW_MV && (in->sunlit || f->dark_s < 600);
}

int power_is_critical(const struct flight *f, const struct sensors *in)
{
	return in->voltage_mv < CRITICAL_MV || f->charge_permille < 250;
}
